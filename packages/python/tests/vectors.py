"""Verifies deliveries and receipts that other implementations have signed. Its argument is a JSON file with them."""

import json
import sys

import bounty_platform as bounty

with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)
results = []
for each in vectors["deliveries"]:
    try:
        bounty.verify_webhook(each["headers"], each["body"], each["secret"], scheme=each["scheme"])
        results.append("accepted")
    except bounty.WebhookVerificationError:
        results.append("rejected")
receipts = []
for each in vectors["receipts"]:
    try:
        verified = bounty.verify_receipt(each["evaluation"], each["keys"])
        receipts.append(list(verified.recomputed))
    except bounty.VerificationError as error:
        receipts.append(str(error))
signed = bounty.sign_webhook(vectors["body"], vectors["secret"])
print(json.dumps({"deliveries": results, "receipts": receipts, "signed": signed}))
