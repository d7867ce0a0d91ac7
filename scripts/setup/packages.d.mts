export const INSTALL_WITHOUT_SAVING: readonly string[];
export function isInstalled(folder: string): boolean;
export function installPackages(folder: string, install?: readonly string[]): string | null;
