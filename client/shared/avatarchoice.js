/** The choice of an avatar in the dialog for the name: forty pictures behind the user's present picture. */

import { keepAvatar, keptAvatar } from "./avatars.js";
import { element } from "./dom.js";
import { avatarBadge } from "./player.js";
import { SHARED } from "./words.js";

/**
 * Make the choice, in the colours of a player's name. `keep()` stores the chosen avatar for this browser.
 * @param {string} name
 */
export function avatarChoice(name) {
  let chosen = keptAvatar();
  const chosenName = element("span", { class: "avatar-name", text: SHARED.avatars[chosen] });
  const summary = element(
    "summary",
    {},
    avatarBadge(chosen, name),
    element("span", { text: SHARED.avatar }),
    chosenName,
  );
  const options = SHARED.avatars.map((label, avatar) => {
    const choose = () => {
      chosen = avatar;
      summary.firstElementChild?.replaceWith(avatarBadge(avatar, name));
      chosenName.textContent = label;
    };
    return element(
      "label",
      { class: "avatar-option", title: label },
      element("input", {
        type: "radio",
        name: "avatar",
        value: avatar,
        checked: avatar === chosen,
        on: { change: choose },
      }),
      avatarBadge(avatar, name),
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
  return { element: choice, keep: () => keepAvatar(chosen) };
}
