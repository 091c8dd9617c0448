/** The choice of an avatar in the dialog for the name: forty pictures behind the user's present picture. */

import { chosenAvatars, keepAvatar, keptAvatar } from "./avatars.js";
import { element } from "./dom.js";
import { plainNameOf } from "./names.js";
import { avatarBadge } from "./player.js";
import { SHARED } from "./words.js";

/**
 * Make the choice, in the colours of the user's name. The avatars of other people in this room are disabled. `keep()`
 * stores a new choice for this browser.
 * @param {string} name
 */
export function avatarChoice(name) {
  const others = chosenAvatars();
  const me = [...others.keys()].find((player) => plainNameOf(player) === name) ?? name;
  const present = others.get(me) ?? keptAvatar();
  others.delete(me);
  const taken = new Set(others.values());
  let chosen = present;
  const chosenName = element("span", { class: "avatar-name", text: SHARED.avatars[chosen] });
  const words = element("span", { class: "avatar-words" }, SHARED.avatar, chosenName);
  const summary = element("summary", {}, avatarBadge(chosen, me), words);
  const options = SHARED.avatars.map((title, avatar) => {
    const disabled = taken.has(avatar);
    const label = disabled ? SHARED.avatarTaken(title) : title;
    const choose = () => {
      chosen = avatar;
      summary.firstElementChild?.replaceWith(avatarBadge(avatar, me));
      chosenName.textContent = title;
    };
    const checked = avatar === present;
    return element(
      "label",
      { class: "avatar-option", title: label },
      element("input", { type: "radio", name: "avatar", value: avatar, checked, disabled, on: { change: choose } }),
      avatarBadge(avatar, me),
      element("span", { class: "unseen", text: label }),
    );
  });
  const choice = element(
    "details",
    { class: "avatar-choice" },
    summary,
    element(
      "fieldset",
      { class: "avatar-options" },
      element("legend", { class: "unseen", text: SHARED.avatar }),
      ...options,
    ),
  );
  const keep = () => {
    if (chosen !== present) keepAvatar(chosen);
  };
  return { element: choice, keep };
}
