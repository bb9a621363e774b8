// The decision trace of `podgraft explain --output json`, with the names that this page uses.
// This module is the only one that reads the keys of that format.

const first = (object, ...keys) => keys.map((key) => object[key]).find((value) => value !== undefined);

export function readTrace(trace) {
  return {
    subject: trace.subject,
    verdict: trace.verdict,
    conclusion: trace.conclusion,
    warnings: trace.warnings ?? [],
    sidecars: trace.sidecars,
    stages: (trace.stages ?? []).map((stage) => ({
      name: stage.name,
      steps: (first(stage, "steps", "stations") ?? []).map(readStep),
    })),
  };
}

function readStep(step) {
  return {
    name: step.name,
    observed: first(step, "observed", "saw") ?? "",
    outcome: first(step, "outcome", "result") ?? "",
    isDeciding: first(step, "isDeciding", "is_deciding", "decides") ?? false,
    reason: first(step, "reason", "because") ?? "",
    reached: step.reached ?? true,
  };
}
