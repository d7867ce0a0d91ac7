export interface Build {
	readonly sources: readonly string[];
	/** Environment variables that the build also depends on. */
	readonly settings?: readonly string[];
	readonly outputs: readonly string[];
	readonly record: string;
}
export const SITE: Build;
export const WHOLE_SITE: Build;
export const SITE_FOLDER: string;
export const DOCS: Build;
export const STAGED_DOCS: Build;
export function fingerprintSources(root: string, build: Build): string;
export function isBuiltFrom(root: string, build: Build, fingerprint: string): boolean;
export function recordBuild(root: string, build: Build, fingerprint: string): void;
