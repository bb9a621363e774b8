"""The examples of each command: its help, man page, and reference page begin with them.

``tests/cli/test_examples.py`` runs all of them, in this order.
"""

from collections.abc import Mapping
from typing import Final

Example = tuple[str, str]  # a command line, and its purpose

# By the words of the command, without "policy".
_TEXT = """
[explain]
# Why has this pod no sidecar?
podgraft explain pod/web -n shop
# What would a policy do to a file?
podgraft explain -f web.yaml --config mesh
# Which lines would it change?
podgraft explain -f web.yaml --config mesh --pods -o patch
[inject]
# Inject a file.
podgraft inject -f web.yaml --config mesh -o injected.yaml
# Use Istio's configuration in a cluster.
podgraft inject -f web.yaml --config cluster
# The same with istioctl's options.
podgraft kube-inject -f web.yaml --injectConfigFile inject.yaml --meshConfigFile mesh.yaml
[test]
# Run all tests below this folder.
podgraft test
# Run some tests, and list those that pass.
podgraft test mesh -k proxy -v
# Also write a report for CI.
podgraft test mesh --output junit=tests.xml
[status]
# Which namespaces are injected, and which pods are outdated?
podgraft status
# Compare with another policy.
podgraft status -n shop --config mesh
# One row for each cluster of the kubeconfig, as a page.
podgraft status --contexts all -o html
[doctor]
# What is wrong with the injection of this cluster?
podgraft doctor
# Check all clusters of the kubeconfig, and print a report for CI.
podgraft doctor --contexts all -o junit
# Also check the rotation of tokens.
podgraft doctor --config stack:podgraft-dev
[compare]
# Would podgraft inject the same sidecars as Istio?
podgraft compare -A
# Compare with a folder.
podgraft compare -n shop -l app=web --config mesh
# Write the differences for a script.
podgraft compare -A -o json
[uninject]
# Remove the sidecars of a file.
podgraft uninject -f injected.yaml -o web.yaml
[check]
# Find errors before your clusters do.
podgraft check mesh
# Refuse warnings and privileges.
podgraft check mesh --strict --pss baseline
# Report each finding for code scanning.
podgraft check mesh -o sarif
[push]
# Put a folder in force.
podgraft push mesh --config stack:podgraft-dev
# Show the diff, and ask first.
podgraft push mesh --confirm -m 'Proxy 1.30.3'
# Change one cluster first.
podgraft push mesh --cluster prod-eu
[diff]
# What would a push change?
podgraft diff mesh
# What would change for your workloads?
podgraft diff mesh -f web.yaml
# Write a comment for a pull request.
podgraft diff mesh -o markdown
[history]
# Which version is in force, and who pushed it?
podgraft history
# Of another injector.
podgraft history --config stack:podgraft-dev --injector istio
# List the versions for a script.
podgraft history -o json
[rollback]
# Put version 1 in force again, as a new version.
podgraft rollback 1
# State the reason.
podgraft rollback 1 -m 'Undo 1.30.3'
# Restore its rollout, too.
podgraft rollback 1 --with-rollout
[policy]
# Write the version in force to a folder.
podgraft policy pull current
# Change the version in force in your editor.
podgraft policy edit
# Which privileges does the bundle add?
podgraft policy allows mesh
[pull]
# Write policy.yaml and bundle/ to a new folder.
podgraft policy pull pulled
[edit]
# Edit the policy, see the diff, confirm.
podgraft policy edit policy.yaml
[allows]
# Add the key allows to the policy.
podgraft policy allows mesh --write
[export]
# Write policies for a cluster that evaluates them itself.
podgraft policy export --native --kubernetes 1.36 --config hello
# With the overrides of a cluster, in a folder of files.
podgraft policy export --native --kubernetes 1.36 --config hello --cluster prod-eu -o native
# Leave what needs podgraft.
podgraft policy export --native --kubernetes 1.36 --config mesh --partial
[census]
# Permit the recording of workloads.
podgraft policy census on
# How many workloads are recorded?
podgraft policy census stats --config store
# Stop the recording.
podgraft policy census off
[census on]
# Record in podgraft serve.
podgraft policy census on --config store
[census stats]
# For a script.
podgraft policy census stats --config store -o json
[preview]
# What would a push change for recorded workloads?
podgraft policy preview mesh
# Fail a pipeline for some.
podgraft policy preview mesh --fail-on failed,unknown
[census purge]
# Delete all records.
podgraft policy census purge --config store --yes
[census off]
# Stop it in podgraft serve.
podgraft policy census off --config store
[sign]
# Sign the policy of podgraft serve.
podgraft policy sign --bundle store/istio/bundle --policy store/istio/policy.yaml \\
    --sign-key signer.key
[deny]
# Prevent all injectors from it.
podgraft policy deny DIGEST --reason CVE-2026-1
[denied]
# List denied bundles, and why.
podgraft policy denied
[undeny]
# Allow the bundle again.
podgraft policy undeny DIGEST
[rollout]
# Serve a candidate to 1 % of workloads.
podgraft rollout start mesh --id proxy-1
# Is the candidate healthy?
podgraft rollout status
# Stop it at once.
podgraft rollout abort --reason errors
[rollout shadow]
# Compare only; pods get the stable one.
podgraft rollout shadow mesh --id proxy-2
[rollout start]
# Begin with 5 % of workloads.
podgraft rollout start mesh --id proxy-2 --share 5
[rollout status]
# Read evidence of a file.
podgraft rollout status --log review.log
[rollout who]
# From which percentage does this workload get the candidate?
podgraft rollout who --workload prod-eu/shop/Deployment/web
[rollout step]
# Serve 25 % of the workloads.
podgraft rollout step 25
[rollout pause]
# Give no further pods the candidate.
podgraft rollout pause
[rollout promote]
# Serve everyone, and end the rollout.
podgraft rollout promote
[rollout abort]
# Stop all rollouts.
podgraft rollout abort --all --reason 'incident 4711'
[rollout release]
# Permit new rollouts again.
podgraft rollout release --all
[prune]
# List bundles that no version refers to.
podgraft policy prune
# Delete them.
podgraft policy prune --yes
[delete]
# Delete the injector with all its versions.
podgraft policy delete --yes
[certs]
# Create a CA.
podgraft certs ca
# Create a server certificate.
podgraft certs server localhost 127.0.0.1
# When does it expire?
podgraft certs inspect certificates/server.pem
[certs ca]
# Write to another folder.
podgraft certs ca --dir other
[certs server]
# Names and addresses become SANs.
podgraft certs server hooks.example.com 10.0.0.1 --name hooks
[certs client]
# Create a client certificate of a cluster.
podgraft certs client prod-eu
[certs bundle]
# Print the caBundle of a webhook.
podgraft certs bundle certificates/ca.pem
[certs inspect]
# Report several certificates.
podgraft certs inspect certificates/ca.pem certificates/server.pem
[certs renew]
# Renew it with the same names.
podgraft certs renew server --force
[certs import-acm]
# Use it for a custom domain in AWS.
podgraft certs import-acm --name server --region eu-central-1
[certs rotate-ca]
# Create the new CA, and a bundle of both.
podgraft certs rotate-ca --from certificates --to next begin
# What is the next step?
podgraft certs rotate-ca --from certificates --to next plan
# Issue certificates of the new CA, once clusters trust both.
podgraft certs rotate-ca --from certificates --to next switch
[certs rotate-ca plan]
# Print the next step, and change nothing.
podgraft certs rotate-ca --from certificates --to next plan
[certs rotate-ca begin]
# Create a CA with a key that your policy asks for.
podgraft certs rotate-ca --from certificates --to p256 begin --key-type p-256
[certs rotate-ca switch]
# Continue another replacement.
podgraft certs rotate-ca --from certificates --to p256 switch
[certs rotate-ca finish]
# Remove the old CA, once the endpoint presents a new certificate.
podgraft certs rotate-ca --from certificates --to next finish --probe https://hooks.example.com
[tokens]
# Create a first token.
podgraft tokens issue --cluster prod-eu --output token
# Create the next one.
podgraft tokens rotate --cluster prod-eu --output token-next
# Which tokens do clusters have?
podgraft tokens list
[tokens issue]
# For podgraft serve.
podgraft tokens issue --config store --cluster prod-eu --output token-serve
[tokens rotate]
# Both tokens work until you revoke one.
podgraft tokens rotate --config store --cluster prod-eu --output token-serve-next
[tokens revoke]
# End the earlier token.
podgraft tokens revoke --cluster prod-eu TOKEN_ID
[tokens allow]
# Accept a client certificate.
podgraft tokens allow --cluster prod-eu 'CN=prod-eu,O=podgraft-clusters'
[tokens forbid]
# Accept it no longer.
podgraft tokens forbid --cluster prod-eu 'CN=prod-eu,O=podgraft-clusters'
[tokens list]
# Of podgraft serve.
podgraft tokens list --config store
[fleet]
# Move the callers of all clusters into one registry.
podgraft fleet adopt --config stack:podgraft-dev
# Delete the documents that the registry replaces.
podgraft fleet adopt --config stack:podgraft-dev --finish
# Return to a document for each cluster.
podgraft fleet adopt --config stack:podgraft-dev --undo
[fleet adopt]
# Of the stack that podgraft.toml names.
podgraft fleet adopt
[fleet plan]
# What does the file change?
podgraft fleet plan fleet.yaml
[fleet apply]
# Make the registry and all clusters equal to the file.
podgraft fleet apply fleet.yaml
[fleet render]
# For clusters that a GitOps controller registers.
podgraft fleet render fleet.yaml registrations
# With the tokens of clusters without a header.
podgraft fleet render fleet.yaml registrations --tokens tokens --force
[fleet rotate]
# The tokens that are due, as a daily job.
podgraft fleet rotate fleet.yaml
# All tokens of a group.
podgraft fleet rotate fleet.yaml --group ring-0 --now
[fleet extend]
# If a rotation is late.
podgraft fleet extend fleet.yaml --group ring-0 --expires 30d
[fleet retire]
# A cluster that you delete.
podgraft fleet retire prod-eu-090 --context eks-prod-eu-090
[register]
# Pods with a label.
podgraft register --config stack:podgraft-dev --cluster prod-eu \\
    --token-file token --object-selector podgraft=hello
# Istio's labels.
podgraft register --url https://hooks.example.com:8443 --injector istio \\
    --ca-bundle certificates/ca.pem --revision default
# A Service of podgraft serve.
podgraft register --service podgraft/podgraft/istio --ca-bundle certificates/ca.pem \\
    --namespace-selector istio-injection=enabled
[import]
# Write Istio's configuration to a folder.
podgraft import istio imported
# Write only one revision.
podgraft import istio one --revision default
# Replace the bundle.
podgraft import istio imported --force
[import istio]
# Write policy.yaml and bundle/ to a folder.
podgraft import istio copy
[serve]
# Serve all injectors of a folder.
podgraft serve --store store --cert certificates/server.pem --key certificates/server.key
# Only load them, and report errors.
podgraft serve --store store --cert certificates/server.pem --key certificates/server.key --check
# With metrics for Prometheus.
podgraft serve --store store --cert certificates/server.pem --key certificates/server.key \\
    --metrics-port 9090
[demo]
# Inject a pod with Istio's sidecar.
podgraft demo
# Keep serving, for a cluster on this machine.
podgraft demo hello --keep
# Change and check a Deployment.
podgraft demo allow
[init]
# Write the files of a stack, and a first injector.
podgraft init first
# Write the Helm chart.
podgraft init --kind helm cluster
# Write all samples.
podgraft init --kind samples samples
[playground]
# Serve the page on a free port.
podgraft playground --port 0
[completion]
# Print the script for your shell.
podgraft completion bash
"""


def _parse(text: str) -> dict[str, tuple[Example, ...]]:
    examples: dict[str, tuple[Example, ...]] = {}
    name = purpose = ""
    for line in text.replace(" \\\n    ", " ").strip().split("\n"):
        if line.startswith("["):
            name = line.strip("[]")
        elif line.startswith("# "):
            purpose = line.removeprefix("# ")
        else:
            examples[name] = (*examples.get(name, ()), (line, purpose))
    return examples


EXAMPLES: Final[Mapping[str, tuple[Example, ...]]] = _parse(_TEXT)
