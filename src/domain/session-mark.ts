/**
 * The key of an item in the browser's local storage: the signed-in agent's id, and when it signed in. It is not a credential, and is
 * removed on signing out. With it, tabs of the console notice each other, and public pages know whether to load the signed-in header.
 */
export const SESSION_ITEM = "console.session";
