/** A file that a person chose, dropped or wrote. */
export interface PickedFile {
	/** The path is relative, with `/` between its parts. */
	readonly path: string;
	readonly file: File;
}
