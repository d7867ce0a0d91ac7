/** `fetch`, narrowed to what the platform uses. URLs from users go through `sendOutbound` of platform/outbound.ts. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
