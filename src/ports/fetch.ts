/** The platform uses no more of `fetch`. URLs from users go through `sendOutbound` of platform/outbound.ts. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
