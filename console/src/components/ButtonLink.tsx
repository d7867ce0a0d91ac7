import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
	readonly kind?: "primary" | "plain" | "quiet";
}

function Anchor({ kind = "plain", ...props }: AnchorProps) {
	return <a {...props} className={`button button-${kind}`} />;
}

/** A link to a page of the console that looks like a button. */
export const ButtonLink = createLink(Anchor);
