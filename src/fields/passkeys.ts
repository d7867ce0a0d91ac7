/** Signing in with a passkey. It happens in the browser, so it needs no URL. */
export const passkeyWay = { id: "passkey", name: "Passkey" };
