/**
 * The drawings of the avatars: forty creatures and things for people, and four robots for bots.
 *
 * A drawing is a list of parts, each a colour with an SVG path on a square of 48 x 48 units, in the circle of a badge.
 * The colours come from the badge: `ink` is its text colour, `gap` its background, `tint` a mixture. A part with a
 * number is a line of this width.
 */

/** @typedef {"ink" | "tint" | "gap"} Colour */
/** @typedef {[colour: Colour, path: string, width?: number]} Part */

const SIZE = 48;
const MARGIN = 4; // so that the circle cuts no drawing

/** An ellipse, or a circle. */
const oval = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ rx, ry = rx) =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

/** Two ellipses with the same distance from the vertical axis, for example eyes. */
const pair = (/** @type {number} */ apart, /** @type {number} */ y, /** @type {number} */ rx, ry = rx) =>
  oval(SIZE / 2 - apart, y, rx, ry) + oval(SIZE / 2 + apart, y, rx, ry);

/** A path and its reflection in the vertical axis. The path has only absolute points. */
const mirrored = (/** @type {string} */ path) =>
  path + path.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) => `${SIZE - Number(x)} ${y}`);

/** Circles of radius `r` around a centre. */
const ring = (
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ count,
  /** @type {number} */ radius,
  /** @type {number} */ r,
) =>
  Array.from({ length: count }, (_, nth) => {
    const angle = (2 * Math.PI * (nth + 0.5)) / count + Math.PI / 2;
    return oval(round(x + radius * Math.cos(angle)), round(y + radius * Math.sin(angle)), r);
  }).join("");

const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;

/** The head of a robot with these parts. */
const robot = (/** @type {Part[]} */ ...parts) =>
  /** @type {Part[]} */ ([
    ["tint", "M4 22h6v12h-6zM38 22h6v12h-6z"],
    ["ink", "M12 14h24q4 0 4 4v18q0 4 -4 4h-24q-4 0 -4 -4v-18q0 -4 4 -4z"],
    ...parts,
  ]);

/** @type {Record<string, Part[]>} */
const PEOPLE = {
  cat: [
    ["ink", mirrored("M8 27 L9 5 L23 15 Z")],
    ["ink", oval(24, 28, 16, 13.5)],
    ["ink", mirrored("M10 31 L2 29 M11 35 L4 38"), 2],
    ["gap", `${pair(7, 26, 2.4, 3.4)}M21 31 L27 31 L24 34.5 Z`],
  ],
  fox: [
    ["ink", "M5 6 L18 14 L30 14 L43 6 L43 26 L24 44 L5 26 Z"],
    ["tint", mirrored("M5 25 Q14 23 18 32 L24 44 Z")],
    ["gap", pair(7.5, 22, 2.4) + oval(24, 38, 2.8, 2.4)],
  ],
  bear: [
    ["ink", pair(12, 13, 6.5) + oval(24, 26, 17, 16)],
    ["tint", pair(12, 13, 3)],
    ["gap", oval(24, 31, 8, 6.5) + pair(7, 22, 2.2)],
    ["ink", `${oval(24, 29, 3.2, 2.4)}M23 30h2v5h-2z`],
  ],
  rabbit: [
    ["ink", pair(7, 14, 5, 12) + oval(24, 32, 13, 11.5)],
    ["tint", pair(7, 14, 2, 8)],
    ["gap", `${pair(5.5, 30, 2.2)}M22 35 L26 35 L24 37.5 Z`],
  ],
  owl: [
    ["ink", "M7 5 Q15 12 24 11 Q33 12 41 5 L41 27 Q41 43 24 43 Q7 43 7 27 Z"],
    ["gap", `${pair(8, 21, 7)}M20.5 28 L27.5 28 L24 34 Z`],
    ["ink", pair(8, 21, 3.4)],
    ["tint", "M18 37 Q21 40 24 37 Q27 40 30 37", 2],
  ],
  frog: [
    ["ink", pair(10.5, 14, 8) + oval(24, 28, 19.5, 13)],
    ["gap", pair(10.5, 14, 4.4)],
    ["ink", pair(10.5, 14, 2)],
    ["gap", "M11 28 Q24 40 37 28", 2.6],
  ],
  mouse: [
    ["ink", pair(12.5, 15, 10.5) + oval(24, 29, 11, 13)],
    ["tint", pair(12.5, 15, 6)],
    ["gap", pair(4.6, 27, 2) + oval(24, 37, 2.8, 2.3)],
  ],
  elephant: [
    ["tint", pair(14.5, 20, 9, 12)],
    ["ink", oval(24, 20, 11, 13)],
    ["ink", "M24 26 L24 37 Q24 42 31 41", 7],
    ["gap", pair(5, 18, 1.9) + mirrored("M17 27 L15 35 L20 28 Z")],
  ],
  lion: [
    ["tint", ring(24, 24, 10, 15, 6.5)],
    ["ink", oval(24, 25, 13.5)],
    ["gap", `${pair(5.5, 22, 2.1)}M20 27 L28 27 L24 31.5 Z`],
    ["gap", "M18.5 33 Q22 36 24 32 Q26 36 29.5 33", 2],
  ],
  deer: [
    ["ink", mirrored("M20 21 Q12 15 12 3 M13.5 13 L5 9"), 3.4],
    ["ink", mirrored("M16 21 L3 21 L13 29 Z")],
    ["ink", "M14 21 Q24 15 34 21 L30 39 Q24 46 18 39 Z"],
    ["gap", pair(5, 26, 2) + oval(24, 39, 3.4, 2.6)],
  ],
  dog: [
    ["ink", oval(24, 26, 14, 16)],
    ["gap", mirrored("M15 10 Q8 9 5 16 Q1 28 6 35 Q15 34 17 18 Z"), 3.4],
    ["ink", mirrored("M15 10 Q8 9 5 16 Q1 28 6 35 Q15 34 17 18 Z")],
    ["gap", pair(5.5, 22, 2.2) + oval(24, 29, 4.2, 3)],
    ["gap", "M24 30 L24 34 M18.5 33.5 Q20 37 24 34 Q28 37 29.5 33.5", 2],
  ],
  whale: [
    ["ink", "M3 28 Q4 17 15 17 Q25 17 30 26 Q34 26 35 22 L40 22 Q41 41 21 41 Q3 41 3 28 Z"],
    ["ink", "M35 23 Q29 20 28 12 Q35 12 37 17 Q39 12 46 12 Q46 20 40 23 Z"],
    ["gap", oval(12, 26, 2)],
    ["tint", "M5 33 Q18 38 34 36 Q29 41 21 41 Q8 41 5 33 Z"],
    ["ink", "M15 13 L15 9 M15 9 Q14 5 9 6 M15 9 Q16 5 21 6", 2.4],
  ],
  fish: [
    ["ink", `${oval(20, 24, 16, 12)}M30 24 L45 12 Q41 24 45 36 Z`],
    ["tint", "M14 13 Q20 3 29 12 Q26 15 22 12.4 Z M18 35.5 Q22 44 28 40 Q28 35 24 35.5 Z"],
    ["gap", oval(12, 21, 2.6)],
    ["gap", "M20 16 Q25 24 20 32 M27 17 Q31 24 27 31", 2.2],
  ],
  octopus: [
    ["ink", oval(24, 18, 14.5, 14)],
    ["ink", mirrored("M14 24 Q15 36 5 37 M21 27 Q22 38 15 43"), 5],
    ["gap", pair(5.5, 19, 3, 3.6)],
  ],
  snail: [
    ["tint", "M6 39 L35 39 Q41 39 40 28 M40 26 L36 17 M41 26 L45 18", 5],
    ["ink", oval(20, 24, 14.5)],
    ["gap", "M20 24 Q23 19 26 24 Q26 31 19 31 Q12 30 12 23 Q13 15 21 15", 2.6],
  ],
  turtle: [
    ["ink", "M31 36 Q38 36 38 28", 5],
    ["ink", `${oval(40, 24, 7, 6)}M7 33h8v9h-8zM23 33h8v9h-8z`],
    ["gap", "M1 36 Q1 9 18 9 Q35 9 35 36 Z"],
    ["tint", "M3 36 Q3 11 18 11 Q33 11 33 36 Z"],
    ["gap", oval(42, 22.5, 1.8)],
    ["ink", "M14 18 L22 18 L26 25 L22 32 L14 32 L10 25 Z"],
  ],
  duck: [
    ["tint", "M11 12 L1 18 L12 22 Z"],
    ["ink", `${oval(18, 15, 9)}M12 22 L25 18 Q26 25 33 25 Q40 24 45 18 Q47 42 27 42 Q8 42 8 31 Q8 25 12 22 Z`],
    ["gap", oval(16, 13, 2.2)],
    ["gap", "M20 31 Q24 37 34 33", 2.4],
  ],
  penguin: [
    ["tint", "M14 44 Q15 38 20 39 L23 44 Z M34 44 Q33 38 28 39 L25 44 Z"],
    ["ink", mirrored("M13 18 Q4 26 5 36 Q10 35 14 30 Z")],
    ["ink", oval(24, 23, 13, 19)],
    ["gap", oval(24, 30, 8.5, 10.5) + pair(4.5, 17, 5)],
    ["ink", `${pair(4, 17, 2)}M20.5 22 L27.5 22 L24 27 Z`],
  ],
  butterfly: [
    ["ink", mirrored("M24 24 Q20 5 7 6 Q1 8 4 18 Q7 26 24 24 Z M24 24 Q10 23 9 33 Q9 42 17 41 Q22 39 24 26 Z")],
    ["tint", pair(13, 14, 4, 3.6) + pair(8.5, 33, 2.6)],
    ["gap", "M24 14 L24 40", 7],
    ["ink", "M24 15 L24 40", 3.4],
    ["ink", mirrored("M24 15 Q23 8 18 5"), 2],
  ],
  crab: [
    ["ink", mirrored("M14 29 L9 22 M20 24 L18 14 M14 33 L4 35 M16 36 L8 42"), 3],
    ["ink", oval(24, 31, 14, 9.5) + pair(6, 14, 3) + pair(15.5, 15, 8)],
    ["gap", mirrored("M8.5 16 L4 3 L13 4 Z") + pair(6, 14, 1.3)],
    ["gap", "M18 33 Q24 38 30 33", 2.4],
  ],
  snake: [
    ["ink", "M8 40 L35 40 Q42 40 42 33.5 Q42 27 35 27 L15 27 Q8 27 8 20.5 Q8 14 15 14 L28 14", 7.5],
    ["ink", oval(31, 13.5, 8, 6.5)],
    ["gap", oval(32, 12, 2)],
    ["tint", "M39 15 L45 15", 2.2],
    ["gap", "M17 38 L17 42 M25 38 L25 42 M33 38 L33 42 M18 25 L18 29 M26 25 L26 29", 2.2],
  ],
  dinosaur: [
    ["tint", "M6 27 L7 20 L13 23 L16 15 L22 21 L27 15 L30 23 Z"],
    ["ink", "M2 39 Q6 22 20 21 Q30 21 31 10 Q32 4 38 4 Q46 4 46 9 Q46 13 40 13 Q42 33 34 36 L12 33 Q6 34 2 39 Z"],
    ["ink", "M12 33h7v10h-7zM27 33h7v10h-7z"],
    ["gap", oval(38, 8.5, 1.8)],
  ],
  hedgehog: [
    ["tint", "M6 38 L1 32 L6 29 L3 22 L9 21 L9 13 L16 15 L19 8 L25 13 L31 8 L33 16 L38 18 L34 38 Z"],
    ["ink", "M20 39 Q20 23 33 23 Q37 23 39 28 L46 34 Q46 39 41 39 Z"],
    ["ink", "M12 39 L16 39 M26 39 L30 39", 5],
    ["gap", oval(34, 30, 2) + oval(44, 35, 1.8)],
  ],
  bat: [
    ["ink", mirrored("M24 17 L20 18 L17 9 L14 18 Q8 12 1 14 Q6 20 5 32 Q10 27 14 32 Q19 29 24 38 Z")],
    ["ink", oval(24, 23, 8, 9)],
    ["gap", pair(3.4, 21, 1.9) + mirrored("M20.5 26.5 L23.4 26.5 L22 30.5 Z")],
  ],
  ghost: [
    ["ink", "M8 43 L8 22 Q8 5 24 5 Q40 5 40 22 L40 43 L34.6 37 L29.3 43 L24 37 L18.7 43 L13.3 37 Z"],
    ["gap", pair(6.5, 20, 3, 4) + oval(24, 31, 3, 3.6)],
  ],
  alien: [
    ["ink", "M24 9 Q41 9 40 22 Q38 35 24 44 Q10 35 8 22 Q7 9 24 9 Z"],
    ["ink", mirrored("M18 12 L13 4"), 2.4],
    ["ink", pair(11.5, 4.5, 2.6)],
    ["gap", mirrored("M10.5 20 Q21 19 22 31 Q12 32 10.5 20 Z")],
    ["gap", "M21 37 L27 37", 2],
  ],
  rocket: [
    ["tint", `${mirrored("M16 22 L6 33 L7 41 L17 34 Z")}M18 35 L30 35 L24 46 Z`],
    ["ink", "M24 2 Q36 13 33 34 L15 34 Q12 13 24 2 Z"],
    ["gap", oval(24, 18, 4.6)],
  ],
  moon: [
    ["ink", "M27 5A19 19 0 1 0 43 30A16 16 0 0 1 27 5Z"],
    ["tint", "M36 7 Q37 14 44 15 Q37 16 36 23 Q35 16 28 15 Q35 14 36 7 Z"],
  ],
  star: [
    ["ink", "M24 3 L30.2 16.5 L44.9 18.2 L34 28.3 L36.9 42.8 L24 35.6 L11.1 42.8 L14 28.3 L3.1 18.2 L17.8 16.5 Z"],
    ["gap", pair(4.5, 22, 1.9, 2.6)],
    ["gap", "M19.5 28 Q24 32.5 28.5 28", 2.2],
  ],
  tree: [
    ["tint", "M21 36h6v9h-6z"],
    ["ink", "M24 3 L35 17 L30.5 17 L39 28 L34 28 L43 39 L5 39 L14 28 L9 28 L17.5 17 L13 17 Z"],
    ["gap", oval(22, 15, 1.8) + oval(28, 24, 1.8) + oval(18, 27, 1.8) + oval(24, 33.5, 1.8)],
  ],
  cactus: [
    ["ink", "M24 36 L24 10", 11],
    ["ink", "M24 30 L10 30 L10 18 M24 25 L38 25 L38 13", 6],
    ["tint", "M13 35 L35 35 L32 46 L16 46 Z"],
    ["gap", "M24 10 L24 14 M24 20 L24 24 M24 29 L24 32", 2],
  ],
  mushroom: [
    ["tint", "M18 26 L30 26 Q30 34 34 43 L14 43 Q18 34 18 26 Z"],
    ["ink", "M3 26 Q5 5 24 5 Q43 5 45 26 Q35 30 24 30 Q13 30 3 26 Z"],
    ["gap", oval(14, 19, 3.8) + oval(25, 12.5, 3.4) + oval(34, 20.5, 3.8) + oval(23.5, 24, 2.4)],
  ],
  flower: [
    ["tint", "M24 30 L24 45", 3.4],
    ["tint", "M24 43 Q12 44 9 33 Q21 32 24 43 Z M24 43 Q36 44 39 33 Q27 32 24 43 Z"],
    ["ink", ring(24, 17, 6, 8.8, 5.6)],
    ["gap", oval(24, 17, 4.6)],
  ],
  cherries: [
    ["ink", "M14 28 Q16 14 31 5 Q31 17 34 26", 2.6],
    ["tint", "M30 6 Q39 1 45 9 Q36 14 30 6 Z"],
    ["ink", oval(13.5, 33, 10) + oval(34.5, 31, 10)],
    ["gap", "M7.5 32 Q8.5 28 12 27 M28.5 30 Q29.5 26 33 25", 2.2],
  ],
  ice: [
    ["tint", "M13 26 L35 26 L24 46 Z"],
    ["gap", "M17 28 L28 41 M24 27 L31 36 M31 28 L20 41 M24 27 L17 36", 1.6],
    ["ink", `${oval(24, 16, 13)}M9 20h30q3 0 3 3.500t-3 3.500h-30q-3 0 -3 -3.500t3 -3.500z`],
    ["gap", "M16 15 Q17 9 22 8", 2.4],
  ],
  boat: [
    ["ink", "M3 33 L45 33 L38 43 L10 43 Z M22 3 L22 30 L5 30 Z"],
    ["tint", "M26 9 L42 30 L26 30 Z"],
    ["gap", oval(16, 38, 1.7) + oval(24, 38, 1.7) + oval(32, 38, 1.7)],
  ],
  balloon: [
    ["ink", "M24 2 Q42 2 42 19 Q42 26 31 33 L17 33 Q6 26 6 19 Q6 2 24 2 Z"],
    ["gap", "M19 4 Q12 18 20 32 M29 4 Q36 18 28 32", 2.2],
    ["ink", "M18 33 L20 38 M30 33 L28 38", 1.6],
    ["tint", "M18 37h12v6q0 2 -2 2h-8q-2 0 -2 -2z"],
  ],
  umbrella: [
    ["tint", "M24 22 L24 38 Q24 43 19 43 Q14 43 14 38", 3.6],
    ["ink", "M24 4 L24 8", 3],
    ["ink", "M3 27 Q5 7 24 7 Q43 7 45 27 Q39 21 34 27 Q29 21 24 27 Q19 21 14 27 Q9 21 3 27 Z"],
    ["gap", "M14 25 Q15 14 24 8 M34 25 Q33 14 24 8", 1.8],
  ],
  crown: [
    ["ink", "M8 40 L4 15 L15 25 L24 9 L33 25 L44 15 L40 40 Z"],
    ["ink", oval(24, 8, 3.6) + pair(19.5, 14, 3.6)],
    ["gap", `M24 24 L28 30 L24 36 L20 30 Z${pair(10, 32, 2.2)}`],
  ],
  snowman: [
    ["ink", "M13 30 L4 22 M35 30 L44 22", 2.4],
    ["ink", oval(24, 33, 12) + oval(24, 17, 9)],
    ["tint", "M17 2h14v8h-14zM12 9h24v3.500h-24z"],
    ["gap", `${pair(3.4, 16, 1.6) + oval(24, 29, 1.8) + oval(24, 35, 1.8)}M22.5 19 L31 20.5 L22.5 22 Z`],
  ],
};

/** @type {Part[][]} */
const ROBOTS = [
  robot(
    ["ink", "M24 14 L24 7", 3],
    ["tint", oval(24, 5.5, 3.4)],
    ["gap", pair(7, 24, 3.6)],
    ["gap", "M16 34 L32 34", 2.8],
  ),
  robot(
    ["ink", mirrored("M16 14 L11 5"), 3],
    ["gap", "M12 20h24v9h-24z"],
    ["ink", pair(6, 24.5, 2.4)],
    ["gap", "M18 34.5 L30 34.5", 2.4],
  ),
  robot(
    ["tint", "M14 7h20v7h-20z"],
    ["gap", oval(24, 24, 6.5)],
    ["ink", oval(24, 24, 2.8)],
    ["gap", "M16 35 L32 35", 2.4],
  ),
  robot(
    ["tint", "M22.5 3h3v11h-3zM14 8h3v6h-3zM31 8h3v6h-3z"],
    ["gap", "M13 20h8v7h-8zM27 20h8v7h-8z"],
    ["gap", "M14 32h20v5h-20z"],
    ["ink", "M19 31 L19 38 M24 31 L24 38 M29 31 L29 38", 2],
  ),
];

/** The number of avatars for people. The server knows it, too (scramble/rooms/gathering/names.py). */
export const AVATARS = Object.keys(PEOPLE).length;

/** The number of avatars for bots. Their numbers follow the numbers for people. */
export const BOT_AVATARS = ROBOTS.length;

const DRAWINGS = [...Object.values(PEOPLE), ...ROBOTS];
const SVG = "http://www.w3.org/2000/svg";

/**
 * Draw an avatar. An unknown number, for example of a newer server, has the first drawing.
 * @param {number} number
 */
export function drawAvatar(number) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${SIZE + 2 * MARGIN} ${SIZE + 2 * MARGIN}`);
  picture.setAttribute("class", "avatar");
  for (const [colour, path, width] of DRAWINGS[number] ?? DRAWINGS[0]) {
    const part = document.createElementNS(SVG, "path");
    part.setAttribute("class", width === undefined ? colour : `${colour} line`);
    part.setAttribute("d", path);
    if (width !== undefined) part.setAttribute("stroke-width", String(width));
    picture.append(part);
  }
  return picture;
}
