export function hasDevVars(root: string): boolean;
export function makeDevVars(root: string): boolean;
