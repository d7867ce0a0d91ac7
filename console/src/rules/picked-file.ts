/** A file that a person chose, dropped or wrote. */
export interface PickedFile {
	/** A relative path with `/` as the separator. */
	readonly path: string;
	readonly file: File;
}
