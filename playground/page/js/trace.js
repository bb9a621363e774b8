// The decision trace of `podgraft explain --output json`, with the input of each step.

export function readTrace({ trace, inputs }) {
  const stages = trace.stages.map((stage, index) => ({
    ...stage,
    steps: stage.steps.map((step, number) => ({ ...step, ...inputs[index][number] })),
  }));
  return { ...trace, stages };
}
