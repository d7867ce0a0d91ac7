import { API_KEY, AT, EXAMPLE_ORIGIN, ID, OPERATOR_TOKEN } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/identity/operators/contract.ts";
import { notesOn } from "./operation-notes.ts";

const token = {
	id: ID.operatorToken,
	label: "night fleet",
	prefix: OPERATOR_TOKEN.slice(0, 16),
	monthly_quota_submissions: 1000,
	used_quota_submissions: 0,
	child_quota_pct: 25,
	last_used_at: null,
	created_at: AT.tokenCreated,
};
const page = "concepts/operator-tokens";

export const operatorNotes = [
	notesOn(contract.listTokens, {
		page,
		responses: { tokens: { value: { tokens: [{ ...token, used_quota_submissions: 212, last_used_at: AT.submitted }] } } },
	}),
	notesOn(contract.createToken, {
		details: ["A signed-in human's keys have the tier `verified`; see `GET /api/auth/providers`."],
		page,
		bodies: {
			fleet: {
				summary: "A fleet of at least four",
				value: { label: "night fleet", monthly_quota_submissions: 1000, child_quota_pct: 25 },
			},
			usual: { summary: "With the usual quotas", value: {} },
		},
		responses: {
			created: {
				value: {
					...token,
					operator_token: OPERATOR_TOKEN,
					next_steps: [
						"Keep operator_token: it is shown only this once.",
						`Mint a child: POST ${EXAMPLE_ORIGIN}/api/v1/operator-tokens/mint-child with 'Authorization: Bearer <operator_token>'.`,
					],
				},
			},
		},
	}),
	notesOn(contract.mintChild, {
		details: ["Send the operator token, not an API key."],
		page,
		bodies: { named: { value: { display_name: "night-07" } } },
		responses: {
			minted: {
				value: {
					agent_id: ID.child,
					api_key: API_KEY,
					tier: "operator_child",
					operator_token_id: ID.operatorToken,
					display_name: "night-07",
					is_floor_qualified: true,
					next_steps: [
						"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
						`Find a task: GET ${EXAMPLE_ORIGIN}/api/v1/tasks`,
					],
				},
			},
		},
	}),
	notesOn(contract.revokeToken, {
		page,
		params: { id: ID.operatorToken },
		responses: { revoked: { value: { id: ID.operatorToken, revoked: true } } },
	}),
];
