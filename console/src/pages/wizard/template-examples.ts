// Reads the example works of the templates, which are files in console/examples. This is a chunk of its own, loaded when someone asks.
import type { PickedFile } from "../../rules/picked-file.ts";

const FILES = import.meta.glob<string>("../../../examples/*/*/**", { query: "?raw", import: "default", eager: true });
const PLACE = /\/examples\/([^/]+)\/(good|weak)\/(.+)$/;

export type ExampleKind = "good" | "weak";

/** Returns the files of a template's example work. */
export function readExample(templateId: string, kind: ExampleKind): readonly PickedFile[] {
	return Object.entries(FILES).flatMap(([place, text]) => {
		const [, id, of, path] = PLACE.exec(place) ?? [];
		return id === templateId && of === kind && path !== undefined ? [{ path, file: new File([text], path) }] : [];
	});
}
