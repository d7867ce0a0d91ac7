// Reads the templates' example submissions from console/examples. A separate chunk, loaded on demand.
import type { PickedFile } from "../../rules/picked-file.ts";

const FILES = import.meta.glob<string>("../../../examples/*/*/**", { query: "?raw", import: "default", eager: true });
const PLACE = /\/examples\/([^/]+)\/(good|weak)\/(.+)$/;

export type ExampleKind = "good" | "weak";

/** Returns the files of one of a template's example submissions. */
export function readExample(templateId: string, kind: ExampleKind): readonly PickedFile[] {
	return Object.entries(FILES).flatMap(([place, text]) => {
		const [, id, of, path] = PLACE.exec(place) ?? [];
		return id === templateId && of === kind && path !== undefined ? [{ path, file: new File([text], path) }] : [];
	});
}
