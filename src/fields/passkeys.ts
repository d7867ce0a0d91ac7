/** A way to sign in: with a passkey. The sign-in page itself asks the browser for it, so this way has no URL. */
export const passkeyWay = { id: "passkey", name: "Passkey" };
