/** An operator's role includes the roles before it. */
export const ADMIN_ROLES = ["read", "moderate", "operate"] as const;

export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Returns true if a token of the role `held` may use an endpoint that needs the role `needed`. */
export function isRoleEnough(held: AdminRole, needed: AdminRole): boolean {
	return ADMIN_ROLES.indexOf(held) >= ADMIN_ROLES.indexOf(needed);
}
