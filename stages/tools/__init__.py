"""Commands beside the stages: params, plan, review, evidence, pages and recover."""
