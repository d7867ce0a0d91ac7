import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { webhooksKey } from "../../queries/webhooks.ts";
import { parseTags } from "../../rules/tags.ts";
import { CHAT_EVENTS, CHAT_SERVICES, type ChatService, parseList, type WebhookEvent } from "../../rules/webhook-events.ts";
import { EventChoice } from "./EventChoice.tsx";

export type CreatedWebhook = Schemas["CreatedWebhook"];

interface CreateWebhookProps {
	/** The chat service that gets the messages. Without one, the webhook sends signed JSON. */
	readonly service?: ChatService | undefined;
	readonly onCreated: (webhook: CreatedWebhook) => void;
	readonly onCancel: () => void;
}

export function CreateWebhook({ service, onCreated, onCancel }: CreateWebhookProps) {
	const [url, setUrl] = useState("");
	const [events, setEvents] = useState<readonly WebhookEvent[]>(service === undefined ? [] : CHAT_EVENTS);
	const [taskIds, setTaskIds] = useState("");
	const [categories, setCategories] = useState("");
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: () => {
			const named = parseTags(categories);
			const filters = { task_ids: parseList(taskIds), categories: named.length === 0 ? null : named };
			return api.createWebhook({ url: url.trim(), events: [...events], ...filters, format: service ?? "standard" });
		},
		onSuccess: async (webhook) => {
			await queries.invalidateQueries({ queryKey: webhooksKey });
			onCreated(webhook);
		},
	});
	const isReady = url.trim() !== "" && events.length > 0;
	const chat = service === undefined ? null : CHAT_SERVICES[service];
	const scope = (
		<div className="form-row">
			<TextInput label="Only these tasks" hint="Comma-separated ids. Empty means all tasks." value={taskIds} onChange={setTaskIds} isMono />
			<TextInput label="Only these categories" hint="Comma-separated. Empty means all." value={categories} onChange={setCategories} />
		</div>
	);
	return (
		<Form
			className="form card"
			aria-label={chat === null ? "Create a webhook" : `Connect ${chat.name}`}
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady) create.mutate();
			}}
		>
			<TextInput
				label={chat === null ? "URL" : `Webhook URL of ${chat.name}`}
				type="url"
				hint={chat === null ? "The URL must respond with a 2xx status within 10 seconds." : chat.where}
				value={url}
				onChange={setUrl}
				isMono
				isRequired
				autoFocus
			/>
			{chat === null ? (
				<>
					<EventChoice chosen={events} onChange={setEvents} />
					{scope}
				</>
			) : (
				<details>
					<summary>Choose what is sent ({events.length} events)</summary>
					<div className="form">
						<EventChoice chosen={events} onChange={setEvents} />
						{scope}
					</div>
				</details>
			)}
			{create.error !== null && <ErrorMessage error={create.error} title="The webhook was not created." />}
			<div className="actions">
				<Button type="submit" kind="primary" isDisabled={!isReady} isPending={create.isPending}>
					{submitText(chat?.name ?? null, create.isPending)}
				</Button>
				<Button onPress={onCancel}>Cancel</Button>
			</div>
		</Form>
	);
}

/** Returns the label of the submit button. Only a receiver of signed JSON is tested while the caller waits. */
function submitText(chat: string | null, isPending: boolean): string {
	if (chat !== null) return isPending ? "Connecting…" : `Connect ${chat}`;
	return isPending ? "Testing the receiver…" : "Create the webhook";
}
