/** Signing in with a passkey happens in the browser, so this way has no URL. */
export const passkeyWay = { id: "passkey", name: "Passkey" };
