/** The words of the page for a server that does not answer, in English. */
export default {
  title: "The server is not there",
  lost:
    "Nothing answers at this address: the server may have been stopped, or this device has no network. " +
    "This page looks again by itself, and goes on as soon as the server is back.",
  again: "Try again",
  still: "Still no answer.",
};
