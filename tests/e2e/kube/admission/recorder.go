package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// A call is one review on the wire.
type call struct {
	URL      string          `json:"url"`
	Headers  http.Header     `json:"headers"` // as the client set them; the transport adds the rest
	Request  json.RawMessage `json:"request"`
	Code     int             `json:"code,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Failure  string          `json:"failure,omitempty"`
}

// A recorder dials every host at one server, and keeps what is said, unless it is silent.
type recorder struct {
	server string
	silent bool
	calls  []*call
}

// wrap puts the recorder between the admission plugins and their network.
func (r *recorder) wrap(inner webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	record := func(config *rest.Config, err error) (*rest.Config, error) {
		if err != nil {
			return nil, err
		}
		config.Dial = r.dial
		if !r.silent {
			config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &tap{r, next} })
		}
		return config, nil
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
			return record(inner.ClientConfigFor(hostPort))
		},
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return record(inner.ClientConfigForService(name, namespace, port))
		},
	}
}

func (r *recorder) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, r.server)
}

type tap struct {
	recorder *recorder
	next     http.RoundTripper
}

// RoundTrip sends the request on and keeps both sides.
func (t *tap) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	kept := &call{URL: request.URL.String(), Headers: request.Header.Clone(), Request: body}
	t.recorder.calls = append(t.recorder.calls, kept)
	response, err := t.next.RoundTrip(request)
	if err != nil {
		kept.Failure = err.Error()
		return nil, err
	}
	kept.Code = response.StatusCode
	answered, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		kept.Failure = err.Error()
		return nil, err
	}
	if json.Valid(answered) {
		kept.Response = answered
	}
	response.Body = io.NopCloser(bytes.NewReader(answered))
	return response, nil
}
