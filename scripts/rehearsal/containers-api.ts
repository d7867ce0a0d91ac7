// Imitates Cloudflare's API for containers: an account's limits, the registry of images, and applications.
import { z } from "zod";
import { ACCOUNT, type Answer, absent, type Call, type CloudflareApi } from "./api-state.ts";

export const CONTAINERS = `${ACCOUNT}/containers/`;

const LIMITS = { vcpu_per_deployment: 4, memory_mib_per_deployment: 12_288, disk_mb_per_deployment: 20_000 };
const application = z.object({ name: z.string(), durable_objects: z.object({ namespace_id: z.string() }) });

/** Handles requests about containers. An application belongs to the namespace of a class that was created with a container. */
export function answerContainers(api: CloudflareApi, { method, path, body }: Call): Answer {
	const part = path.slice(CONTAINERS.length);
	if (part === "me") return { result: { external_account_id: "acc1", limits: LIMITS } };
	if (part.startsWith("registries/"))
		return { result: { username: "v1", password: "rehearsal", registry_host: "registry.cloudflare.com" } };
	if (part !== "applications") return absent(7003);
	if (method === "GET") return { result: [] };
	const { name, durable_objects } = application.parse(JSON.parse(body));
	if (api.classes.get(durable_objects.namespace_id) !== true) return refuseContainer(durable_objects.namespace_id);
	api.applications.push(name);
	return { result: { id: "application1", name } };
}

/** Rejects a container for a class that was created without one, because Cloudflare cannot add it. */
export function refuseContainer(className: string): Answer {
	return { status: 400, code: 10_061, message: `DURABLE_OBJECT_NOT_CONTAINER_ENABLED: ${className} was created without a container` };
}
