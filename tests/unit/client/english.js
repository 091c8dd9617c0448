/**
 * An English browser for modules with words. Node 20 has no `navigator`, and later versions have the language of the
 * machine. Import this module before these modules.
 */

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
