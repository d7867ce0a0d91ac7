// Keeps a new identity with its key in this tab until the person has another way to sign in, so that a reload loses nothing.
import * as z from "zod/mini";

const ITEM = "console.new-identity";

const newIdentity = z.object({
	api_key: z.string(),
	display_name: z.string(),
	/** True if the key is the only way to sign in again, so that it is shown until the person has saved it. */
	is_key_shown: z._default(z.boolean(), false),
});

export type NewIdentity = z.infer<typeof newIdentity>;

export function keepNewIdentity({ api_key, display_name }: Pick<NewIdentity, "api_key" | "display_name">, isKeyShown: boolean): void {
	sessionStorage.setItem(ITEM, JSON.stringify({ api_key, display_name, is_key_shown: isKeyShown } satisfies NewIdentity));
}

/** Returns the new identity that this tab keeps, or null if there is none. */
export function readNewIdentity(): NewIdentity | null {
	try {
		return newIdentity.safeParse(JSON.parse(sessionStorage.getItem(ITEM) ?? "null")).data ?? null;
	} catch {
		return null;
	}
}

export function forgetNewIdentity(): void {
	sessionStorage.removeItem(ITEM);
}
