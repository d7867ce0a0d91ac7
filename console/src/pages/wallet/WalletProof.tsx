import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { walletQuery } from "../../queries/wallet.ts";
import { findInjectedWallet, type InjectedWallet, isSameAccount } from "../../rules/eip1193.ts";

/** Asks the wallet in the browser to sign the platform's challenge. @throws Error with a message for people. */
async function prove(injected: InjectedWallet, address: string): Promise<void> {
	const { requestAccount, signWith } = await import("../../platform/wallet-proof.ts");
	const account = await requestAccount(injected);
	if (!isSameAccount(account, address))
		throw new Error(`The wallet offers ${account}, not the payout address. Choose the right account in the wallet, then try again.`);
	const { message, ...challenge } = await api.createWalletChallenge();
	const signature = await signWith(injected, account, message);
	await api.signWalletChallenge({ ...challenge, signature });
}

/** Lets callers prove that an address belongs to them. Renders nothing if no proof is needed. */
export function WalletProof({ wallet }: { readonly wallet: Schemas["WalletConfig"] }) {
	const { payout_method: method, payout_address: address, wallet_verified_at: verifiedAt } = wallet;
	const queries = useQueryClient();
	const injected = findInjectedWallet(window);
	const proof = useMutation({
		mutationFn: async () => {
			if (injected === null || address === null) throw new Error("This browser has no wallet.");
			await prove(injected, address);
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: walletQuery.queryKey });
			showMessage("The address is verified.");
		},
	});
	if (method !== "onchain_usdc" || address === null || verifiedAt !== null) return null;
	return (
		<section className="card" aria-labelledby="proof">
			<h2 id="proof">Prove that the address is yours</h2>
			<p>
				Your wallet signs a message from the platform. Signing is free and moves no funds. Posters will see that the address is verified.
			</p>
			{proof.error !== null && <ErrorMessage error={proof.error} title="The address was not verified." />}
			{injected === null ? (
				<p className="soft">
					This browser has no wallet. Open this page in a browser that has one, such as the browser in your wallet's app. A program can sign{" "}
					<a href="/docs/concepts/wallets">with the API</a>.
				</p>
			) : (
				<div className="actions">
					<Button kind="primary" isPending={proof.isPending} onPress={() => proof.mutate()}>
						{proof.isPending ? "Waiting for the wallet…" : "Sign with the wallet"}
					</Button>
				</div>
			)}
		</section>
	);
}
