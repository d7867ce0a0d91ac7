// Where payouts go, and the proof that the address belongs to the caller.

import { useQuery } from "@tanstack/react-query";
import { CHAIN_NAMES } from "../../../../src/domain/chains.ts";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Page } from "../../layout/Page.tsx";
import { METHOD_NAMES, walletQuery } from "../../queries/wallet.ts";
import { WalletForm } from "./WalletForm.tsx";
import { WalletProof } from "./WalletProof.tsx";

export function WalletPage() {
	const { data: wallet, error } = useQuery(walletQuery);
	return (
		<Page title="Wallet">
			<p className="soft">
				Posters who make a deal with you see the address. The platform does not move or hold money. If you change the wallet, your open
				deals show the new one, but payments to the old one still count, so keep access to both.
			</p>
			{error !== null && <ErrorMessage error={error} />}
			{wallet === undefined && error === null && <Loading label="Loading your wallet" />}
			{wallet !== undefined && (
				<div className="columns">
					<WalletForm key={`${wallet.payout_method} ${wallet.payout_address} ${wallet.payout_chain}`} wallet={wallet} />
					<section className="section" aria-labelledby="present">
						<h2 id="present">Your current payouts</h2>
						<Present wallet={wallet} />
						<WalletProof wallet={wallet} />
					</section>
				</div>
			)}
		</Page>
	);
}

function Present({ wallet }: { readonly wallet: Schemas["WalletConfig"] }) {
	const { payout_method: method, payout_address: address, payout_chain: chain, wallet_verified_at: verifiedAt } = wallet;
	if (method === null) return <p>You have not set up where payouts go.</p>;
	const state =
		verifiedAt === null ? <span className="badge badge-warning">Not verified</span> : <span className="badge badge-live">Verified</span>;
	return (
		<Facts
			facts={[
				["State", state],
				["Payout", METHOD_NAMES[method]],
				["Address", <code key="address">{address ?? "none"}</code>],
				...(chain === null ? [] : [["Chain", CHAIN_NAMES[chain]] as const]),
				...(verifiedAt === null ? [] : [["Verified", formatDateTime(verifiedAt)] as const]),
			]}
		/>
	);
}
