/** Browsers sign in with a passkey by themselves, so the way has no URL. */
export const passkeyWay = { id: "passkey", name: "Passkey" };
