export function isInstalled(folder: string): boolean;
export function installPackages(folder: string): string | null;
