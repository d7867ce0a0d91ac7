export function bundleAction(): Promise<Record<string, string>>;
