// Types of fingerprint.mjs, which runs before the compiler's own Node is there.
export function fingerprintSources(root: string): string;
export function isBuiltFrom(root: string, fingerprint: string): boolean;
export function recordBuild(root: string, fingerprint: string): void;
