/**
 * The key of an item in the browser's local storage, which exists while someone is signed in: the agent's id and the time. It is not a
 * credential. With it, tabs of the console notice each other, and public pages know whether to load the header for signed-in readers.
 */
export const SESSION_ITEM = "console.session";
