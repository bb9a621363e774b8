"""Every rule of ``clientConfig.url`` has its own words, and what passes routes where it should."""

from dataclasses import dataclass

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.register import endpoint


@dataclass(frozen=True, slots=True)
class EndpointCase:
    given: str
    inject: str
    injector: str = "default"


PRIVATE = "https://7ce8508d-vpce-0a1b2c3d4e5f67890.execute-api.eu-central-1.amazonaws.com"
READ = (
    # a root
    EndpointCase("https://webhook.example.com", "https://webhook.example.com/inject"),
    EndpointCase("https://webhook.example.com/", "https://webhook.example.com/inject"),
    EndpointCase("https://webhook.example.com:8443", "https://webhook.example.com:8443/inject"),
    EndpointCase("https://WEBHOOK.example.com", "https://webhook.example.com/inject"),
    EndpointCase("https://10.0.0.1", "https://10.0.0.1/inject"),
    EndpointCase("https://[2001:db8::7]:8443", "https://[2001:db8::7]:8443/inject"),
    # with an injector
    EndpointCase("https://a.example/istio", "https://a.example/istio/inject", "istio"),
    # with a route: what stands behind it stays
    EndpointCase("https://a.example/inject", "https://a.example/inject"),
    EndpointCase(
        "https://a.example/istio/inject/cluster/prod-eu",
        "https://a.example/istio/inject/cluster/prod-eu",
        "istio",
    ),
    EndpointCase("https://a.example/inject/:ENV:x=y", "https://a.example/inject/:ENV:x=y"),
    EndpointCase(
        "https://a.example/k/t0k3n/istio/inject", "https://a.example/k/t0k3n/istio/inject", "istio"
    ),
    EndpointCase("https://a.example/k/t0k3n", "https://a.example/k/t0k3n/inject"),
    # at a VPC endpoint: the stage of the private API is first
    EndpointCase(f"{PRIVATE}/live", f"{PRIVATE}/live/inject"),
    EndpointCase(f"{PRIVATE}/live/", f"{PRIVATE}/live/inject"),
    EndpointCase(
        f"{PRIVATE}/live/k/t0k3n/istio/inject", f"{PRIVATE}/live/k/t0k3n/istio/inject", "istio"
    ),
)


@pytest.mark.parametrize("case", READ, ids=lambda case: case.given)
def test_a_url_is_read_and_leads_to_its_routes(case: EndpointCase) -> None:
    found = endpoint.parse_endpoint(case.given)
    assert found.url("inject") == case.inject
    assert found.url("validate") == case.inject.replace("inject", "validate")
    assert found.injector == case.injector


REFUSED = {
    PRIVATE: "begins with its stage; use the output PrivateEndpoint of the stack",
    f"{PRIVATE}/inject": "begins with its stage; use the output PrivateEndpoint of the stack",
    f"{PRIVATE}/k/t0k3n/inject": "begins with its stage",
    "http://a.example": "got http; use https://, the only scheme that kube-apiserver calls",
    "a.example/inject": "there is no scheme; use https://, the only scheme",
    "https://": "there is no host; write https://host[:port]",
    "https://:8443/inject": "there is no host; write https://host[:port]",
    "https://user:pass@a.example": "no user information (user:password@) is allowed",
    "https://user@a.example": "no user information (user:password@) is allowed",
    "https://a.example/inject?timeout=5s": "no query (?…) is allowed",
    "https://a.example/inject?": "no query (?…) is allowed",
    "https://a.example/inject#top": "no fragment (#…) is allowed",
    "https://a.example:99999": "invalid port; use a port from 1 to 65535",
    "https://a.example:http": "invalid port; use a port from 1 to 65535",
    "https://a.example:0": "got port 0; use a port from 1 to 65535",
    "https://a.example\n": "--url: contains a blank, a tab, or a line break; remove it",
    " https://a.example": "--url: contains a blank, a tab, or a line break; remove it",
    "https://a.exa\tmple": "--url: contains a blank, a tab, or a line break; remove it",
    "https://a.example:81/mutate": "got the route /mutate; leave it out of --url, and name its",
    "https://a.example/x/mutate/a/b": "--mutate [GROUP/]VERSION/RESOURCE",
    "https://a.example/validate": "--validate [GROUP/]VERSION/RESOURCE",
    "https://a.example/auth/inject": "--url: the path names an injector that cannot exist",
    "https://a.example/T0k3n/inject": "--url: the path names an injector that cannot exist",
    "https://a.example/k": "--url: the path names an injector that cannot exist",
    "https://localhost:8443": "localhost is the machine of kube-apiserver itself",
    "https://api.localhost": "api.localhost is the machine of kube-apiserver itself",
    "https://127.0.0.1:8443": "127.0.0.1 is the machine of kube-apiserver itself",
    "https://127.9.9.9": "127.9.9.9 is the machine of kube-apiserver itself",
    "https://[::1]:8443": "::1 is the machine of kube-apiserver itself",
    "https://*.example.com": "a URL names one host; only certificates have wildcards",
    "https://a.example.": "leave out the dot at the end",
    "https://0.0.0.0:8443": "0.0.0.0 is where a server listens",
    "https://10.0.0.256": "ends like an IP address but is none",
    "https://a..example": "every label is 1 to 63 letters",
    "https://a.example/a%2Fb": "kube-apiserver decodes the path before it calls",
    "https://a.example//inject": "kube-apiserver cleans the path before it calls",
    "https://a.example/x/../inject": "kube-apiserver cleans the path before it calls",
    "https://a.example/in ject": "--url: contains a blank, a tab, or a line break; remove it",
    "https://a.example/bücher": "a path holds letters, digits and",
}


@pytest.mark.parametrize("url", REFUSED)
def test_a_url_that_would_not_be_called_is_refused_with_its_own_words(url: str) -> None:
    with pytest.raises(CommandError) as error:
        endpoint.parse_endpoint(url)
    assert REFUSED[url] in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:s3cr3t@a.example",
        "http://user:s3cr3t@a.example",
        "https://user:s3cr3t@a.example:port",
    ],
)
def test_a_password_in_a_url_is_not_repeated(url: str) -> None:
    with pytest.raises(CommandError, match=r"//…@a\.example") as error:
        endpoint.parse_endpoint(url)
    assert "s3cr3t" not in str(error.value)


@pytest.mark.parametrize("url", ["https://localhost:8443", "https://[::1]", "https://127.0.0.1"])
def test_loopback_is_allowed_for_tests(url: str) -> None:
    assert endpoint.parse_endpoint(url, allow_loopback=True).url("inject") == f"{url}/inject"


def test_token_injector_and_facts_find_their_places() -> None:
    found = endpoint.parse_endpoint("https://a.example")
    found = endpoint.with_token(endpoint.with_injector(found, "istio"), "t0k3n_-")
    found = endpoint.with_variables(found, [("cluster", "arn:aws:eks/prod"), ("net", "n1")])
    assert found.url("inject") == (
        "https://a.example/k/t0k3n_-/istio/inject/cluster/arn:aws:eks--slash--prod/net/n1"
    )
    assert found.injector == "istio"


@pytest.mark.parametrize("injector", [None, "default", "istio"])
def test_an_injector_that_the_url_names_already_is_not_repeated(injector: str | None) -> None:
    found = endpoint.with_injector(
        endpoint.parse_endpoint("https://a.example/istio/inject"), injector
    )
    assert found.url("inject") == "https://a.example/istio/inject"


def test_two_injectors_are_refused() -> None:
    with pytest.raises(CommandError, match="the URL names the injector istio, not logging"):
        endpoint.with_injector(endpoint.parse_endpoint("https://a.example/istio"), "logging")


@pytest.mark.parametrize("token", ["", "two tokens", "a/b", "a%2F", "line\nbreak"])
def test_what_is_no_token_does_not_enter_the_path(token: str) -> None:
    with pytest.raises(CommandError, match="must contain one token"):
        endpoint.with_token(endpoint.parse_endpoint("https://a.example"), token)


def test_a_second_token_is_refused() -> None:
    with pytest.raises(CommandError, match="the URL already contains a token"):
        endpoint.with_token(endpoint.parse_endpoint("https://a.example/k/t0k3n/inject"), "other")


@pytest.mark.parametrize("facts", [[("cluster", "prod")], [("team", "a"), ("team", "b")]])
def test_a_fact_is_reported_once(facts: list[tuple[str, str]]) -> None:
    found = endpoint.parse_endpoint("https://a.example/inject/cluster/prod")
    with pytest.raises(CommandError, match=r"the URL already contains .*; say it once"):
        endpoint.with_variables(found, facts)


@pytest.mark.parametrize(
    ("host", "want"),
    [
        ("podgraft.injection.svc", ("injection",)),
        ("podgraft.injection.svc.cluster.local", ("injection",)),
        ("webhook.example.com", ()),
        ("a.b.example.svc", ()),
    ],
)
def test_the_namespace_of_a_service_is_known(host: str, want: tuple[str, ...]) -> None:
    assert endpoint.service_namespace(endpoint.parse_endpoint(f"https://{host}")) == want
