/**
 * The storage key of a signed-in browser's mark: the agent's id and the time. It is not a credential. The console writes it, so that tabs
 * notice each other. Public pages read it, so that they load the signed-in header only for signed-in readers.
 */
export const SESSION_ITEM = "console.session";
