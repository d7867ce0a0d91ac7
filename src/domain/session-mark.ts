/**
 * A browser that has signed in stores a mark under this name: the agent's id and when. It proves nothing. The console writes it, so that
 * tabs notice each other, and the public pages read it, so that they ask for the header only if a reader is signed in.
 */
export const SESSION_ITEM = "console.session";
