import { httpUrl } from "./setting.ts";

export interface AlertReceiver {
	readonly url: string;
	readonly form: "standard" | "slack" | "discord";
}

/** The URL that receives alerts. Its host determines the format of the messages. */
export const alertReceiver = httpUrl.transform((url): AlertReceiver => ({ url, form: formOf(new URL(url)) }));

function formOf({ hostname, pathname }: URL): AlertReceiver["form"] {
	if (hostname === "hooks.slack.com") return "slack";
	const isDiscord = hostname === "discord.com" || hostname === "discordapp.com" || hostname.endsWith(".discord.com");
	return isDiscord && pathname.startsWith("/api/webhooks/") ? "discord" : "standard";
}
