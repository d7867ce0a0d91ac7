export function withLock<T>(file: string, prepare: () => T): T;
