/** The grammar of a language for catalogues of words: plurals, lists, numbers and durations, with Intl. */

/** @typedef {{one: string, other: string, two?: string, few?: string, many?: string, zero?: string}} Forms */

const MINUTE_MS = 60_000;

/**
 * The grammar of a language, by its tag.
 * @param {string} tag
 */
export function grammar(tag) {
  const plurals = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(tag);
  const percents = new Intl.NumberFormat(tag, { style: "percent" });
  const lists = new Intl.ListFormat(tag, { type: "conjunction" });
  const units = (/** @type {string} */ unit) =>
    new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 });
  const seconds = units("second");
  const tenths = new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

  /**
   * The form for a number: `plural(2, {one: "is", other: "are"})` is "are".
   * @param {number} number
   * @param {Forms} forms
   */
  const plural = (number, forms) => forms[plurals.select(number)] ?? forms.other;

  return {
    plural,
    /**
     * A number with its noun: `count(1200, {one: "card", other: "cards"})` is "1,200 cards".
     * @param {number} number
     * @param {Forms} forms
     */
    count: (number, forms) => `${numbers.format(number)} ${plural(number, forms)}`,
    /** @param {number} number */
    number: (number) => numbers.format(number),
    /**
     * `percent(0.25)` is "25%", or "25 %" by the rules of the language.
     * @param {number} share
     */
    percent: (share) => percents.format(share),
    /**
     * A list of names: "ann", "ann and bob", "ann, bob and carl".
     * @param {string[]} names
     */
    list: (names) => lists.format(names),
    /**
     * A number of seconds: "3 seconds", in the nominative case.
     * @param {number} number
     */
    seconds: (number) => seconds.format(number),
    /**
     * A number of seconds, for a table: "3.4 s", "12 s", "3 min".
     * @param {number} number
     */
    brief: (number) => {
      if (number < 10) return `${tenths.format(number)}\u00a0s`;
      return number < 120
        ? `${numbers.format(Math.round(number))}\u00a0s`
        : `${numbers.format(Math.round(number / 60))}\u00a0min`;
    },
    /**
     * A duration in whole seconds: "3 seconds". From one minute on it has the form of a clock: "1:31".
     * @param {number} milliseconds
     */
    span: (milliseconds) => {
      if (milliseconds >= MINUTE_MS) return clockWords(milliseconds);
      return seconds.format(Math.max(1, Math.floor(milliseconds / 1000)));
    },
  };
}

/**
 * A duration in the form of a clock, the same in every language: "0:05", "1:31", "1:02:03".
 * @param {number} milliseconds
 */
export function clockWords(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
