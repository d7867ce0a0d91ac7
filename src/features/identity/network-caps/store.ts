import { sql } from "drizzle-orm";
import type { Deps } from "../../../ports/deps.ts";

export async function forgetDays({ db }: Deps, { beforeDay, limit }: { beforeDay: string; limit: number }): Promise<void> {
	await db.query.run(sql`
		delete from network_usage where (network, kind) in (select network, kind from network_usage where day < ${beforeDay} limit ${limit})`);
}
