/**
 * The page of a class. A pupil joins it, waits, and goes from here to a table. The teacher sees the waiting pupils,
 * begins the rounds, and ends the class. Both see the tables and the standings.
 */

import { createAnnouncer } from "../shared/announce.js";
import { Classroom, lastTable, rememberTable, roomOf } from "../shared/classroom.js";
import { byId, element, setText } from "../shared/dom.js";
import { showFigures } from "../shared/figures.js";
import { loadKind } from "../shared/kinds.js";
import { chip, keepName, lastName, showInitials } from "../shared/player.js";
import { Refused } from "../shared/rooms.js";
import { setUpShare, worksOnlyHere } from "../shared/share.js";
import { setUpThemeSwitch } from "../shared/theme.js";
import { Toasts } from "../shared/toasts.js";
import { languageSwitch, putWords } from "../shared/wording.js";
import { ROOM, SHARED } from "../shared/words.js";
import { setUpWorker } from "../shared/worker.js";
import { WORDS } from "./words.js";

/** @import { ClassInfo, TableInfo } from "../shared/classroom.js" */

/** @typedef {{words: string, hint?: string, acts: HTMLElement[], form?: boolean}} Step, with the form to join or not */

const ROOT = new URL("../", document.baseURI).href;
const NAME = location.pathname.split("/").pop() ?? "";

class ClassPage {
  #classroom = new Classroom(ROOT, NAME);
  #announce = createAnnouncer(byId("live"));
  #toasts = new Toasts({ region: byId("toasts"), log: byId("log"), announce: this.#announce });
  /** @type {ClassInfo | null} */ #info = null;
  /** @type {{[part: string]: string}} the data of each drawn part: a new element would lose the focus */ #drawn = {};
  #sure = byId("sure", HTMLDialogElement);

  start() {
    putWords({ ...ROOM, ...WORDS });
    setUpThemeSwitch(byId("theme"), SHARED.theme);
    byId("theme").before(languageSwitch());
    setUpShare({
      field: byId("class-link", HTMLInputElement),
      button: byId("class-copy"),
      hint: byId("class-hint"),
      onCopied: (worked) =>
        this.#toasts.say(worked ? SHARED.copied : SHARED.copyByHand, { kind: worked ? "good" : "fail" }),
    });
    byId("join-name", HTMLInputElement).value = lastName() ?? "";
    byId("join-class").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#join(byId("join-name", HTMLInputElement).value.trim());
    });
    byId("sure-not").addEventListener("click", () => this.#sure.close());
    byId("sure-end").addEventListener("click", () => {
      this.#sure.close();
      void this.#do("end");
    });
    setUpWorker();
    void this.#classroom.follow(
      (info) => this.#show(info),
      (refused) => this.#fail(refused),
    );
    // A page from the browser's back/forward cache is out of date.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  /** @param {Refused} refused */
  #fail(refused) {
    byId("trouble").hidden = false;
    setText(byId("trouble"), refused.words);
  }

  /** @param {string} name */
  async #join(name) {
    const error = byId("join-error");
    setText(error, "");
    try {
      this.#show(await this.#classroom.act("join", { name }));
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      setText(error, refused.words);
      byId("join-name").focus();
    }
  }

  /**
   * Send an act to the server. The words of a refusal appear in a toast.
   * @param {"join" | "leave" | "round" | "end"} act
   * @param {object} values
   */
  async #do(act, values = {}) {
    try {
      const info = await this.#classroom.act(act, values);
      if (info !== null) this.#show(info);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      this.#toasts.say(refused.words, { kind: "fail" });
    }
  }

  /** @param {ClassInfo} info */
  #show(info) {
    if (this.#info !== null && info.version < this.#info.version) return; // an answer that was late
    this.#info = info;
    byId("trouble").hidden = true;
    void this.#showTitle(info);
    const me = info.me === null ? null : info.pupils[info.me];
    if (me !== null) keepName(me.name); // the tables know the pupil by this name
    document.documentElement.dataset.who = info.teacher ? "teacher" : "pupil";
    byId("me").hidden = me === null;
    this.#draw("me", me?.name, () => byId("me").replaceChildren(...(me === null ? [] : [chip(me.name)])));
    this.#showInvitation(info);
    this.#showStep(info);
    this.#showWaiting(info);
    this.#showTables(info);
    this.#showStandings(info, me?.name ?? null);
    if (!info.teacher) this.#goToTable(info);
  }

  /** @param {ClassInfo} info */
  async #showTitle({ game, title }) {
    const kind = await loadKind(game);
    const words = title || WORDS.titleOf(kind.title || game);
    setText(byId("class-title"), words);
    document.title = words;
  }

  /** @param {ClassInfo} info */
  #showInvitation({ teacher, over, links }) {
    const invite = byId("invite-class");
    invite.hidden = !teacher || over;
    if (invite.hidden) return;
    const [link = this.#classroom.address] = links;
    const picture = byId("class-qr", HTMLImageElement);
    if (!picture.hasAttribute("src")) picture.src = `${NAME}/qr.svg`;
    byId("class-link", HTMLInputElement).value = link;
    byId("class-hint").hidden = !worksOnlyHere(link);
  }

  /**
   * Show the next step: the loudest part of the page.
   * @param {ClassInfo} info
   */
  #showStep(info) {
    const step = byId("step");
    step.hidden = false;
    const next = info.over ? this.#last(info) : info.teacher ? this.#teach(info) : this.#wait(info);
    const { words, acts, hint = "", form = false } = next;
    this.#draw("step", words, () => {
      setText(byId("step-title"), words);
      this.#announce(words);
    });
    setText(byId("step-hint"), hint);
    byId("step-hint").hidden = hint === "";
    byId("join-class").hidden = !form;
    this.#draw("acts", [info.teacher, info.over, words, info.round, roomOf(info)], () =>
      byId("step-acts").replaceChildren(...acts),
    );
  }

  /**
   * @param {ClassInfo} info
   * @returns {Step}
   */
  #last(info) {
    const running = info.tables.filter((table) => !table.over).length;
    if (running > 0) return { words: WORDS.playing(running), acts: [] };
    const best = ranked(info)[0];
    const first = ranked(info).filter(({ points, wins }) => points === best.points && wins === best.wins);
    const words = best === undefined || best.games === 0 ? WORDS.ended : WORDS.first(first.map(({ name }) => name));
    return { words, acts: [element("a", { class: "button", href: ROOT, text: ROOM.allGames })] };
  }

  /**
   * @param {ClassInfo} info
   * @returns {Step}
   */
  #teach({ round, tables }) {
    const running = tables.filter((table) => !table.over).length;
    const start = button(WORDS.start(round + 1), `class-start ${running > 0 ? "" : "button-primary"}`, async () => {
      start.disabled = true;
      await this.#do("round", { round: round + 1 });
      start.disabled = false;
    });
    const words = round === 0 ? WORDS.readyFirst : running > 0 ? WORDS.playing(running) : WORDS.ready;
    return {
      words,
      hint: running > 0 ? WORDS.startEarly : "",
      acts: [start, button(WORDS.end, "button-danger", () => this.#sure.showModal())],
    };
  }

  /**
   * @param {ClassInfo} info
   * @returns {Step}
   */
  #wait(info) {
    const { me, pupils, round } = info;
    if (me === null) return { words: WORDS.joinTitle, acts: [], form: true };
    if (pupils[me].gone) {
      const back = button(WORDS.comeBack, "button-primary", () => this.#do("join", { name: pupils[me].name }));
      return { words: WORDS.left, acts: [back] };
    }
    const leave = button(WORDS.leave, "button-small", () => this.#do("leave", { pupil: me }));
    const room = roomOf(info);
    if (room !== null) {
      const go = element("a", { class: "button button-primary", href: tableAddress(room), text: WORDS.toTable });
      return { words: WORDS.atTable, acts: [go, leave] };
    }
    const isLate = round > 0 && pupils[me].games === 0;
    return { words: round === 0 ? WORDS.waitFirst : isLate ? WORDS.waitPlace : WORDS.waitNext, acts: [leave] };
  }

  /** @param {ClassInfo} info */
  #showWaiting({ waiting, pupils, teacher, over }) {
    byId("waiting").hidden = over || (!teacher && waiting.length === 0);
    setText(byId("waiting-title"), WORDS.waiting(waiting.length));
    byId("nobody-waits").hidden = waiting.length > 0;
    this.#draw("waiting", [waiting.map((number) => [number, pupils[number].name]), teacher], () =>
      byId("waiting-pupils").replaceChildren(
        ...waiting.map((pupil) => {
          const { name } = pupils[pupil];
          const remove = button("×", "button-quiet class-remove", () => this.#do("leave", { pupil }));
          remove.setAttribute("aria-label", WORDS.remove(name));
          remove.title = WORDS.remove(name);
          return element("li", {}, chip(name), teacher ? remove : null);
        }),
      ),
    );
  }

  /** @param {ClassInfo} info */
  #showTables({ round, tables, pupils, over }) {
    byId("round").hidden = tables.length === 0 || (over && tables.every((table) => table.over));
    setText(byId("round-title"), WORDS.round(round));
    this.#draw("tables", tables, () =>
      byId("tables").replaceChildren(...tables.map((table) => tableOf(table, pupils))),
    );
  }

  /**
   * @param {ClassInfo} info
   * @param {string | null} me
   */
  #showStandings(info, me) {
    const pupils = ranked(info);
    byId("standings").hidden = pupils.every(({ games }) => games === 0);
    setText(byId("standings-title"), info.over ? WORDS.finalTable : WORDS.standings);
    const most = pupils[0];
    const rows = pupils.map(({ name, points, wins, games }) => ({
      player: name,
      figures: [points, wins, games],
      won: games > 0 && points === most.points && wins === most.wins,
    }));
    this.#draw("standings", rows, () =>
      showFigures(byId("figures"), [WORDS.points, WORDS.wins, WORDS.games], rows, me),
    );
  }

  /**
   * Go to my table once: from there the user may come back to this page.
   * @param {ClassInfo} info
   */
  #goToTable(info) {
    const room = roomOf(info);
    if (room === null || lastTable() === room) return;
    rememberTable(room);
    location.assign(tableAddress(room));
  }

  /**
   * Call `draw` if the data of a part has changed.
   * @param {string} part
   * @param {unknown} data
   * @param {() => void} draw
   */
  #draw(part, data, draw) {
    const drawn = JSON.stringify(data) ?? "";
    if (this.#drawn[part] === drawn) return;
    this.#drawn[part] = drawn;
    draw();
  }
}

/** @param {string} room */
const tableAddress = (room, query = "") => `${ROOT}g/${room}${query}`;

/**
 * The pupils who have played or are still here, the best first.
 * @param {ClassInfo} info
 */
function ranked({ pupils }) {
  const shown = pupils.filter(({ gone, games }) => !gone || games > 0);
  return shown.sort((one, other) => other.points - one.points || other.wins - one.wins);
}

/**
 * @param {TableInfo} table
 * @param {ClassInfo["pupils"]} pupils
 */
function tableOf({ room, over, pupils: numbers }, pupils) {
  const names = numbers.map((number) => pupils[number].name);
  return element(
    "li",
    { class: "class-table", "data-over": over },
    element("div", { class: "class-table-pupils" }, ...names.map((name) => chip(name))),
    element("span", { class: "hint", text: over ? WORDS.over : WORDS.running }),
    element("a", {
      class: "button button-small",
      href: tableAddress(room, "?watch"),
      text: WORDS.watch,
      "aria-label": WORDS.watchTable(names),
    }),
  );
}

/**
 * @param {string} text
 * @param {string} tone
 * @param {() => void} click
 */
function button(text, tone, click) {
  return element("button", { type: "button", class: `button ${tone}`, text, on: { click } });
}

showInitials();
new ClassPage().start();
