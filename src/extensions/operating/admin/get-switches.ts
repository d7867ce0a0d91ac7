import { toSwitches } from "../../../core/identity/switches/service.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { selectSwitches } from "./store.ts";
import { exampleSwitches, switchesView, viewSwitches } from "./switches.ts";

export const getSwitches = endpoint({
	method: "get",
	path: "/api/admin/switches",
	operationId: "getSwitches",
	owner: "operating",
	summary: "See what is switched off",
	description: "The current state of all switches.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	response: { status: 200, description: "The switches.", schema: switchesView },
	errors: [],
	page: "operating/administration",
	examples: { responses: { paused: { value: exampleSwitches } } },

	async handle(ctx) {
		ctx.db.refresh();
		return viewSwitches(toSwitches(await selectSwitches(ctx)));
	},
});
