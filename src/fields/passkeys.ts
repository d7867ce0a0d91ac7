/** People sign in with a passkey in the browser, so this way of signing in has no URL. */
export const passkeyWay = { id: "passkey", name: "Passkey" };
