// Lists for operators of the deployment are newest first, and a page continues before an id.
import * as z from "zod";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, type pageQuery, pageRows } from "../../../http/pagination.ts";

const idCursor = z.tuple([uuid]);

export async function readPage<Row extends { readonly id: string }>(
	{ limit, cursor }: z.output<typeof pageQuery>,
	select: (page: { readonly before: string | null; readonly limit: number }) => Promise<Row[]>,
) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	return pageRows(await select({ before, limit: limit + 1 }), limit, (last) => encodeCursor([last.id]));
}
