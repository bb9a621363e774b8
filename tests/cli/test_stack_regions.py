"""What differs between the regions of a stack."""

from collections.abc import Mapping

from podgraft.cli.stack_regions import compare_regions
from podgraft.core.signing.signature import Signature, SignedDocument
from support.aws_account import deploy_stack, open_account

REGIONS = ("us-east-1", "eu-west-1")
BRAKE = "/podgraft-dev/istio/brake"


def compare(*regions: Mapping[str, str]) -> list[str]:
    """Return the differences between regions with these parameters."""
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", "bundles-of-regions")
        for region, parameters in zip(REGIONS, regions, strict=True):
            ssm = session.create_client("ssm", region_name=region)
            for name, text in parameters.items():
                ssm.put_parameter(Name=name, Value=text, Type="String")
        return [
            f"{each.problem}; {each.remedy}" for each in compare_regions("podgraft-dev", REGIONS)
        ]


def test_a_brake_of_one_region_is_reported() -> None:
    """Its rollout goes on in the other, with the candidate that an alarm stopped here."""
    expected = "/istio/brake: is missing; podgraft policy rollout abort with --regions"
    assert compare({BRAKE: "id: r1\n"}, {}) == [expected]
    [problem] = compare({BRAKE: "id: r1\n"}, {BRAKE: "id: r2\n"})
    assert problem.startswith("/istio/brake: differs")


def test_brakes_of_two_guards_stop_the_same_rollout() -> None:
    assert compare({BRAKE: "id: r1\nreason: errors\n"}, {BRAKE: '{"id": "r1"}'}) == []
    assert compare({BRAKE: "- a list\n"}, {BRAKE: "id: '*'\n"}) == []


def test_a_token_of_one_region_is_reported() -> None:
    """DNS can lead a cluster to the region that does not know it."""
    name = "/podgraft-dev/auth/prod"
    tokens, others = (f"tokens: [{{sha256: {each * 64}}}]\n" for each in "ab")
    remedy = "podgraft tokens rotate or revoke --cluster prod with --regions"
    assert compare({name: tokens}, {}) == [f"/auth/prod: is missing; {remedy}"]
    assert compare({name: tokens}, {name: others}) == [f"/auth/prod: differs; {remedy}"]
    assert compare({name: tokens}, {name: tokens, f"{name}/lock": "x"}) == []
    pointer = {"/podgraft-dev/callers": f'{{"serial": 1, "callers": "sha256:{"c" * 64}"}}'}
    assert compare({**pointer, name: tokens}, {**pointer, name: others}) == []


def test_signatures_and_serials_are_those_of_a_region() -> None:
    name = "/podgraft-dev/istio/policy"
    digest = f"sha256:{'a' * 64}"
    signatures = (
        Signature(version=each, digest=digest, key_id="0" * 16, value=bytes(64)) for each in (1, 2)
    )
    texts = [str(SignedDocument(f"bundle: {digest}\n", each)) for each in signatures]
    assert compare({name: texts[0]}, {name: texts[1]}) == []
    first, second = (f'{{"serial": {each}, "callers": "{digest}"}}' for each in (1, 2))
    assert compare({"/podgraft-dev/callers": first}, {"/podgraft-dev/callers": second}) == []
