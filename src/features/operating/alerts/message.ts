import type { AlertReceiver } from "../../../config/alert-receiver.ts";
import { toIso } from "../../../platform/clock.ts";

export interface AlertMessage {
	readonly id: string;
	readonly cause: string;
	readonly text: string;
	/** It is false if the cause is over. */
	readonly isRaised: boolean;
	/** The time is in milliseconds since the epoch. */
	readonly at: number;
	/** This is the platform's origin, or null in development. */
	readonly platform: string | null;
}

/** Formats a message as its receiver reads it. Slack and Discord get no text that mentions everyone. */
export function formatAlert({ id, cause, text, isRaised, at, platform }: AlertMessage, form: AlertReceiver["form"]): object {
	const sentence = `${isRaised ? "" : "Over: "}${text}${platform === null ? "" : ` (${platform})`}`;
	if (form === "slack") return { text: sentence };
	if (form === "discord") return { content: sentence, allowed_mentions: { parse: [] } };
	return { event: isRaised ? "alert.raised" : "alert.ended", id, timestamp: toIso(at), cause, text, platform };
}
