import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
	readonly kind?: "primary" | "plain" | "quiet";
}

function Anchor({ kind = "plain", ...props }: AnchorProps) {
	return <a {...props} className={`button button-${kind}`} />;
}

/** Shows a link to a page of the console that looks like a button. */
export const ButtonLink = createLink(Anchor);
